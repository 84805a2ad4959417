/// The client of the API server: its connection, the fields that it reads, and the watches that
/// several controllers share.
@NullMarked
package dev.pvcpopulators.operator.client;

import org.jspecify.annotations.NullMarked;
