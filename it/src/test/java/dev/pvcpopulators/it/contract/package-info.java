/// The promises of all services, tested on each of them.
@NullMarked
package dev.pvcpopulators.it.contract;

import org.jspecify.annotations.NullMarked;
