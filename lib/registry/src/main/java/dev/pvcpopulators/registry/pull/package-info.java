/// Resolves an [ImageSource] to one image, according to an [ImageChoice]: follows indexes, chooses
/// the platform, reads the configuration.
@NullMarked
package dev.pvcpopulators.registry.pull;

import org.jspecify.annotations.NullMarked;
