/// The fields that manifests use of other projects' kinds. Unknown fields are refused until their
/// type has been added.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
