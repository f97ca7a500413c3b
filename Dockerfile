# One static program in an image without a shell.
#
#   docker build -t florin --build-arg VERSION=1.0.0 .
#   docker run --name florin -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v florin:/data florin
#   docker logs florin                                     # the link that creates the owner
#   docker exec -i florin florin user add --email ... --password-stdin
#
# Another host or port in the browser needs FLORIN_PUBLIC_URL and FLORIN_SERVICE_URL
# (docs/config.md). Times are shown in the zone that TZ names, such as Europe/Berlin.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -gcflags=florin/web/templates/...=-l -ldflags "-s -w -X florin/internal/buildinfo.version=${VERSION}" -o /out/florin ./cmd/web \
	&& mkdir -m 0700 /out/data

# It holds certificates of the public authorities and time zones, and nothing to run.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/florin /usr/local/bin/florin
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV FLORIN_DATA_DIR=/data \
	FLORIN_LISTEN=:8080 \
	FLORIN_SERVICE_LISTEN=:8081 \
	FLORIN_SERVICE_TLS_LISTEN=:8443 \
	FLORIN_LOG_FORMAT=json
VOLUME /data
EXPOSE 8080 8081 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/local/bin/florin", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/florin"]
