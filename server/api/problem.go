package api

// ProblemType is the media type of a [Problem].
const ProblemType = "application/problem+json"

// Problem says why a request was refused (RFC 9457). Nothing was changed.
type Problem struct {
	Type     string       `json:"type" doc:"Always about:blank: the status says it all."`
	Title    string       `json:"title" doc:"The status in words."`
	Status   int          `json:"status" enum:"400,401,403,404,405,409,412,413,415,429,500,503"`
	Detail   string       `json:"detail" doc:"What is wrong, and what to do."`
	Instance string       `json:"instance" doc:"The path of the request."`
	Errors   []FieldError `json:"errors,omitempty" doc:"What is wrong with single fields of the body."`
}

// FieldError says what is wrong with one field of a body.
type FieldError struct {
	Pointer string `json:"pointer" doc:"JSON pointer (RFC 6901) to the field."`
	Detail  string `json:"detail"`
}
