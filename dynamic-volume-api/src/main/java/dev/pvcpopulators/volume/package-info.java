/// The contract of a dynamic volume: requests, documents and failures of `PUT`, `GET` and `DELETE
/// /volume`.
@NullMarked
package dev.pvcpopulators.volume;

import org.jspecify.annotations.NullMarked;
