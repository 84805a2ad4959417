/// The HTTP connections of a process: limits on their number, and on the resources that
/// unauthenticated clients can use.
@NullMarked
package dev.pvcpopulators.kit.connection;

import org.jspecify.annotations.NullMarked;
