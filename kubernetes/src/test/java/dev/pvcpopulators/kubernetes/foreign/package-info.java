/// The kinds of other projects, with the fields that manifests use. The parser refuses every other
/// field until the field is added to these types.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
