/// What a cluster lacks to fill claims: what is observed, and the findings about it.
@NullMarked
package dev.pvcpopulators.populate.doctor;

import org.jspecify.annotations.NullMarked;
