/// The contract of a dynamic volume: `PUT`, `GET` and `DELETE /volume`, and what goes with it.
@NullMarked
package dev.pvcpopulators.volume;

import org.jspecify.annotations.NullMarked;
