/// A client of the contract: `PUT`, `GET` and `DELETE /volume`, and the status stream.
@NullMarked
package dev.pvcpopulators.volume.client;

import org.jspecify.annotations.NullMarked;
