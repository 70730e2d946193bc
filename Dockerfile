# syntax=docker/dockerfile:1

FROM node:22-bookworm-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

FROM rust:1.95-bookworm AS binary
WORKDIR /src
COPY . .
COPY --from=page /src/web/dist web/dist
# The image has the compiler already: rust-toolchain.toml would fetch it again, with parts that a build does not need.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    rm rust-toolchain.toml && cargo build --locked --release --bin askhub && cp target/release/askhub /askhub

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin askhub \
    && install -d -m 0700 -o askhub -g askhub /data
COPY --from=binary /askhub /usr/local/bin/askhub
USER askhub
ENV ASKHUB_DATA_DIR=/data
VOLUME /data
EXPOSE 7440
# Other machines reach this address, so askhub also wants to know its own: set ASKHUB_PUBLIC_URL, or it stops and says
# so. There is no HEALTHCHECK, because the image has no HTTP client: probe /readyz from outside.
ENTRYPOINT ["askhub"]
CMD ["serve", "--listen", "0.0.0.0:7440"]
