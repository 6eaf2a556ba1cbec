use syclscope_language::api::{
    CommandEnergy, DeviceTime, Energy, EnergyCounter, EnergyRest, EnergyRestReason,
};

use crate::data::json::{members, words};

members! {
    CommandEnergy { name, kind, count, total_ns, unsampled_ns, joules };
    DeviceTime { process, device, count, total_ns };
    Energy { estimate, counters, without_counter };
    EnergyCounter {
        track, name, process, device, from_ns, to_ns, covered_ns, intervals, joules, command_joules, idle_joules, rest,
        unsampled_ns, commands, more, more_joules,
    };
    EnergyRest { reason, joules };
}

words!(EnergyRestReason);
