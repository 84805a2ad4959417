/// The kinds of `pvcpopulators.dev/v1alpha1`, from which the CRDs are generated.
@NullMarked
package dev.pvcpopulators.operator.api;

import org.jspecify.annotations.NullMarked;
