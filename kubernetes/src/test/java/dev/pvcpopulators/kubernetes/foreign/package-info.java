/// What manifests use of kinds that other projects define, no field more: an unknown one is refused
/// until its type has been checked.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
