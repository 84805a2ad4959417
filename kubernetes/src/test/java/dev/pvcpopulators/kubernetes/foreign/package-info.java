/// Records for custom kinds, with the fields that manifests use. The parser refuses every other
/// field.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
