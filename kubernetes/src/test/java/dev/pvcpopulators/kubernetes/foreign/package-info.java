/// The kinds of other projects, with the fields that manifests use. Unknown fields are refused
/// until their type has been added.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
