/// Tests of the contract that all services implement.
@NullMarked
package dev.pvcpopulators.it.contract;

import org.jspecify.annotations.NullMarked;
