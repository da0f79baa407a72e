# An image of Kayra: the one static binary, under both its names, and the authorities of TLS. Nothing else is in it.
#
#	docker build -t kayra .
#	docker run --rm -p 8080:8080 -v ./kayra.yaml:/etc/kayra/kayra.yaml:ro kayra serve
#
# It has no HEALTHCHECK, since it has no shell and no curl, and whatever runs it can do better: ask for /-/healthz to know
# whether to restart a container, and for /-/readyz to know whether to send it requests; serve has them at server.listen and a
# reconciler at reconciler.listen. In a container these need to be ":8080" and ":8081" to be reached from outside.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
# .git has to be in the build's context for the version to be stamped.
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags="-s -w" -o /out/kayra . \
	&& ln -s kayra /out/kayra-cli \
	&& mkdir /state

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/ /usr/local/bin/
# The local store, for those who want one: database.local.path is relative to this folder.
COPY --from=build --chown=65532:65532 /state /var/lib/kayra
WORKDIR /var/lib/kayra
USER 65532:65532
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/kayra"]
CMD ["serve"]
