//! Functions for system managers: of those there is what tells how much memory is free.

use super::tables;
use crate::{driver, sysman};

tables! {
    zesGetGlobalProcAddrTable {
        Init 5 driver::sysman_init;
    }
    zesGetDeviceProcAddrTable {
        GetProperties 0;
        GetState 0;
        Reset 0;
        ProcessesGetState 0;
        PciGetProperties 0;
        PciGetState 0;
        PciGetBars 0;
        PciGetStats 0;
        EnumDiagnosticTestSuites 0;
        EnumEngineGroups 0;
        EventRegister 0;
        EnumFabricPorts 0;
        EnumFans 0;
        EnumFirmwares 0;
        EnumFrequencyDomains 0;
        EnumLeds 0;
        EnumMemoryModules 0 sysman::memory_modules;
        EnumPerformanceFactorDomains 0;
        EnumPowerDomains 0;
        GetCardPowerDomain 3;
        EnumPsus 0;
        EnumRasErrorSets 0;
        EnumSchedulers 0;
        EnumStandbyDomains 0;
        EnumTemperatureSensors 0;
        EccAvailable 4;
        EccConfigurable 4;
        GetEccState 4;
        SetEccState 4;
        Get 5 driver::sysman_devices;
    }
    zesGetDriverProcAddrTable {
        EventListen 0;
        EventListenEx 1;
        Get 5 driver::get;
    }
    zesGetMemoryProcAddrTable {
        GetProperties 0 sysman::memory_properties;
        GetState 0 sysman::memory_state;
        GetBandwidth 0;
    }
    zesGetDeviceExpProcAddrTable {}
    zesGetDriverExpProcAddrTable {}
    zesGetOverclockProcAddrTable {}
    zesGetSchedulerProcAddrTable {}
    zesGetPerformanceFactorProcAddrTable {}
    zesGetPowerProcAddrTable {}
    zesGetFrequencyProcAddrTable {}
    zesGetEngineProcAddrTable {}
    zesGetStandbyProcAddrTable {}
    zesGetFirmwareProcAddrTable {}
    zesGetFirmwareExpProcAddrTable {}
    zesGetFabricPortProcAddrTable {}
    zesGetTemperatureProcAddrTable {}
    zesGetPsuProcAddrTable {}
    zesGetFanProcAddrTable {}
    zesGetLedProcAddrTable {}
    zesGetRasProcAddrTable {}
    zesGetRasExpProcAddrTable {}
    zesGetDiagnosticsProcAddrTable {}
    zesGetVFManagementExpProcAddrTable {}
}
