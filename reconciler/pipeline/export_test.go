package pipeline

// Lookup parses a path and follows it through a JSON body.
func Lookup(text string, body []byte) (value string, found bool, err error) {
	p, err := parsePath(text)
	if err != nil {
		return "", false, err
	}
	d, ok := parseDocument(body)
	if !ok {
		return "", false, nil
	}
	value, found = d.text(p)
	return value, found, nil
}

// Endpoint renders the endpoint of the second step of mode "m", and gives it as it is sent and as it is shown.
func (p *Pipelines) Endpoint(sub Subscription, outputs map[string]string) (sent, shown string, err error) {
	a := &attempt{p: p, step: p.modes["m"][1], in: Input{Subscription: sub}, before: previous{Outputs: outputs}}
	req, err := a.render()
	return req.url.reveal(), req.shown, err
}
