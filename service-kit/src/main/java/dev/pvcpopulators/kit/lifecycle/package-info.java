/// Runs a service's [dev.pvcpopulators.kit.lifecycle.Populator] according to the contract's state
/// machine.
@NullMarked
package dev.pvcpopulators.kit.lifecycle;

import org.jspecify.annotations.NullMarked;
