/// Finds out what a cluster lacks to fill claims: the observed objects, and the findings about
/// them.
@NullMarked
package dev.pvcpopulators.populate.doctor;

import org.jspecify.annotations.NullMarked;
