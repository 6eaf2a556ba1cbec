//! Functions for tools: none is implemented, but loaders require the tables.

use super::tables;

tables! {
    zetGetMetricProgrammableExpProcAddrTable {}
    zetGetMetricTracerExpProcAddrTable {}
    zetGetMetricDecoderExpProcAddrTable {}
    zetGetDeviceProcAddrTable {}
    zetGetDeviceExpProcAddrTable {}
    zetGetContextProcAddrTable {}
    zetGetCommandListProcAddrTable {}
    zetGetCommandListExpProcAddrTable {}
    zetGetModuleProcAddrTable {}
    zetGetKernelProcAddrTable {}
    zetGetMetricProcAddrTable {}
    zetGetMetricExpProcAddrTable {}
    zetGetMetricGroupProcAddrTable {}
    zetGetMetricGroupExpProcAddrTable {}
    zetGetMetricStreamerProcAddrTable {}
    zetGetMetricQueryPoolProcAddrTable {}
    zetGetMetricQueryProcAddrTable {}
    zetGetTracerExpProcAddrTable {}
    zetGetDebugProcAddrTable {}
}
