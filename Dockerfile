# An image with nothing but the binary:
#   docker build -t quintet .
#   docker run --rm quintet arena all --engine quintet --engine uct --iterations 1k --games 20
# With files, which it reads and writes in the current folder:
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" quintet replay games.jsonl
# An external engine has to be in the image too, or in /work as a program that needs no libraries.

FROM rust:slim AS build
WORKDIR /quintet
COPY . .
RUN target=$(rustc -vV | sed -n 's/^host: //p') \
 && RUSTFLAGS='-C target-feature=+crt-static' cargo build --locked --release --target "$target" --bin quintet \
 && install -D -m 755 "target/$target/release/quintet" /image/bin/quintet

FROM scratch
COPY --from=build /image /
WORKDIR /work
ENTRYPOINT ["/bin/quintet"]
CMD ["--help"]
