package reconciler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kayra/reconciler/pipeline"
)

// GatewayOptions say where the documents of the registered apps are read from.
type GatewayOptions struct {
	URL     string        // an API's document is at URL/apis/API/-/openapi.json; "": every fetch fails, saying so
	Timeout time.Duration // of a fetch; 0: 10 s
	Headers map[string]pipeline.Header
	TLS     pipeline.TLS
}

// HTTPGateway is a [Gateway] that is reached over HTTP.
type HTTPGateway struct {
	source *pipeline.Source // nil: no URL is set
}

// NewHTTPGateway reads the options. It uses the connections of p.
func NewHTTPGateway(p *pipeline.Pipelines, o GatewayOptions) (*HTTPGateway, error) {
	if o.URL == "" {
		return &HTTPGateway{}, nil
	}
	const timeout = 10 * time.Second
	if o.Timeout <= 0 {
		o.Timeout = timeout
	}
	source, err := p.NewSource(pipeline.Step{
		Endpoint: strings.TrimRight(o.URL, "/") + "/apis/{{ .Subscription.Api }}/-/openapi.json",
		Headers:  o.Headers, Timeout: o.Timeout, TLS: o.TLS,
	})
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	return &HTTPGateway{source: source}, nil
}

// Document implements [Gateway].
func (g *HTTPGateway) Document(ctx context.Context, api string) ([]byte, error) {
	if g.source == nil {
		return nil, errors.New("the OpenAPI document cannot be fetched: reconciler.gateway_url is not set")
	}
	document, err := g.source.Get(ctx, pipeline.Subscription{Api: api})
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be fetched: %w", err)
	}
	return document, nil
}
