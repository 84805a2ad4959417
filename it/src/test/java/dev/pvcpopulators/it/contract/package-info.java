/// Tests of the contract that all services implement, on each service.
@NullMarked
package dev.pvcpopulators.it.contract;

import org.jspecify.annotations.NullMarked;
