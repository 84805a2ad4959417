/// Finds the problems of a cluster that can prevent the filling of claims: reads the objects of the
/// cluster, and derives findings from the objects.
@NullMarked
package dev.pvcpopulators.populate.doctor;

import org.jspecify.annotations.NullMarked;
