/// The settings that all services share, their checks, and the Quarkus settings derived from them.
@NullMarked
package dev.pvcpopulators.kit.settings;

import org.jspecify.annotations.NullMarked;
