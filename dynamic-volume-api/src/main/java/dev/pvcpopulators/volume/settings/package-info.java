/// The settings that all services share, and how they are told to Quarkus.
@NullMarked
package dev.pvcpopulators.volume.settings;

import org.jspecify.annotations.NullMarked;
