# Portico in a container: docs/executable.md. The executable, libc, and git with its transport over https.
# Why it is made like this, what tests check without an engine, and what they do not: docs/decisions/container.md.

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
COPY deploy/container/bun /bun/
# One of the two is for this machine. A digest that is not the locked one leaves none, and there is nothing to install.
RUN cd /bun && npm ci --ignore-scripts --no-fund --no-audit && install node_modules/@oven/bun-*/bin/bun /usr/local/bin/
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build.ts scripts/
COPY src src
# The repository is not in here: say --build-arg COMMIT="$(git rev-parse --short=12 HEAD)".
ARG COMMIT=unknown
RUN PORTICO_COMMIT="$COMMIT" bun run build && mkdir /data

FROM debian:bookworm-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587 AS git
COPY deploy/container/git-files.sh /
RUN apt-get update && apt-get install --yes --no-install-recommends git && sh /git-files.sh /files

FROM gcr.io/distroless/base-debian12:nonroot@sha256:7f0c72cd138b442ae0deeb69c08b1acf5525439ba251a49ad93c320a061567e5 AS portico
COPY --from=git /files /
COPY --from=build /build/dist/portico /portico
# Empty, and ours: a new volume takes over whose it is.
COPY --from=build --chown=65532:65532 /data /data
# What does not fit into memory goes where it may be written: the root file system may be read-only.
ENV DATA_DIR=/data TMPDIR=/data BUN_CONFIG_MAX_HTTP_REQUESTS=4096
VOLUME /data
# Requests, and where METRICS_PORT=9090 is set, metrics.
EXPOSE 8080 9090
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["/portico", "healthcheck"]
ENTRYPOINT ["/portico"]
CMD ["serve"]
