/// Records for custom kinds. A record has only the fields that manifests use; the parser refuses
/// all other fields.
@NullMarked
package dev.pvcpopulators.kubernetes.foreign;

import org.jspecify.annotations.NullMarked;
