// Recordings of `syclscope demo`, which are also test data of the page.
&[
    syclscope_system::embedded::EmbeddedRecording {
        name: "heat.pftrace",
        gzip: include_bytes!("../../../../e2e/traces/heat.pftrace.gz"),
    },
    syclscope_system::embedded::EmbeddedRecording {
        name: "sub_buffers-bad.pftrace",
        gzip: include_bytes!("../../../../e2e/traces/sub_buffers-bad.pftrace.gz"),
    },
    syclscope_system::embedded::EmbeddedRecording {
        name: "sub_buffers-good.pftrace",
        gzip: include_bytes!("../../../../e2e/traces/sub_buffers-good.pftrace.gz"),
    },
]
