//! stub
fn main() {
    let mut a = std::env::args().skip(1).peekable();
    let mut c = askhub::config::ServeConfig {
        listen: "127.0.0.1:7440".parse().unwrap(),
        data_dir: askhub::config::DataDir("/tmp/askhub-data".into()),
        database_url: None,
        public_url: None,
        allow_host: vec![],
        trusted_proxy: vec![],
        max_connections: None,
        drain_delay: 0,
    };
    while let Some(x) = a.next() {
        match x.as_str() {
            "serve" => {}
            "--listen" => c.listen = a.next().unwrap().parse().unwrap(),
            "--data-dir" => c.data_dir.0 = a.next().unwrap().into(),
            "--database-url" => c.database_url = a.next(),
            "--public-url" => c.public_url = a.next(),
            "--allow-host" => c.allow_host.push(a.next().unwrap()),
            "--trusted-proxy" => c.trusted_proxy.push(a.next().unwrap()),
            x => panic!("{x}"),
        }
    }
    askhub::telemetry::start("warn", false).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(askhub::server::run(c)).unwrap();
}
