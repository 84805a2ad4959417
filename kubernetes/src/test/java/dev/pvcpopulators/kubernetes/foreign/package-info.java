/// What manifests use of kinds that other projects define, no field more: an unknown one is refused
/// until somebody has looked it up.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
