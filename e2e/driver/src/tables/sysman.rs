//! Functions for system managers; those that read a device's state are implemented.

use super::tables;
use crate::{driver, sysman};

tables! {
    zesGetGlobalProcAddrTable {
        Init 5 driver::sysman_init;
    }
    zesGetDeviceProcAddrTable {
        GetProperties 0 sysman::device_properties;
        GetState 0;
        Reset 0;
        ProcessesGetState 0;
        PciGetProperties 0 sysman::pci_properties;
        PciGetState 0;
        PciGetBars 0;
        PciGetStats 0;
        EnumDiagnosticTestSuites 0;
        EnumEngineGroups 0 sysman::engine_groups;
        EventRegister 0;
        EnumFabricPorts 0;
        EnumFans 0;
        EnumFirmwares 0;
        EnumFrequencyDomains 0 sysman::frequency_domains;
        EnumLeds 0;
        EnumMemoryModules 0 sysman::memory_modules;
        EnumPerformanceFactorDomains 0;
        EnumPowerDomains 0 sysman::power_domains;
        GetCardPowerDomain 3;
        EnumPsus 0;
        EnumRasErrorSets 0;
        EnumSchedulers 0;
        EnumStandbyDomains 0;
        EnumTemperatureSensors 0 sysman::temperature_sensors;
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
    zesGetPowerProcAddrTable {
        GetProperties 0 sysman::power_properties;
        GetEnergyCounter 0 sysman::energy;
        GetLimits 0;
        SetLimits 0;
        GetEnergyThreshold 0;
        SetEnergyThreshold 0;
    }
    zesGetFrequencyProcAddrTable {
        GetProperties 0 sysman::frequency_properties;
        GetAvailableClocks 0;
        GetRange 0;
        SetRange 0;
        GetState 0 sysman::frequency_state;
        GetThrottleTime 0;
    }
    zesGetEngineProcAddrTable {
        GetProperties 0 sysman::engine_properties;
        GetActivity 0 sysman::activity;
    }
    zesGetStandbyProcAddrTable {}
    zesGetFirmwareProcAddrTable {}
    zesGetFirmwareExpProcAddrTable {}
    zesGetFabricPortProcAddrTable {}
    zesGetTemperatureProcAddrTable {
        GetProperties 0 sysman::temperature_properties;
        GetConfig 0;
        SetConfig 0;
        GetState 0 sysman::temperature;
    }
    zesGetPsuProcAddrTable {}
    zesGetFanProcAddrTable {}
    zesGetLedProcAddrTable {}
    zesGetRasProcAddrTable {}
    zesGetRasExpProcAddrTable {}
    zesGetDiagnosticsProcAddrTable {}
    zesGetVFManagementExpProcAddrTable {}
}
