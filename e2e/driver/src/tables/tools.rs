//! Functions for tools: there are none, but a loader wants to have asked.

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
