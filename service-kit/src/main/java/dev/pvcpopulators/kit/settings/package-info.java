/// The settings that all services share, the checks of a service's settings, and the Quarkus
/// settings that are derived from our settings.
@NullMarked
package dev.pvcpopulators.kit.settings;

import org.jspecify.annotations.NullMarked;
