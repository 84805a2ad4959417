/// Runs a service's [dev.pvcpopulators.kit.lifecycle.Populator] according to the state machine
/// [dev.pvcpopulators.volume.machine.VolumeMachine].
@NullMarked
package dev.pvcpopulators.kit.lifecycle;

import org.jspecify.annotations.NullMarked;
