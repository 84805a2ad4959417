/// The HTTP connections of a process: limits on their number, and on what unauthenticated clients
/// can cost.
@NullMarked
package dev.pvcpopulators.kit.connection;

import org.jspecify.annotations.NullMarked;
