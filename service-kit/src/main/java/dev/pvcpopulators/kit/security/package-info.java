/// Access control, which decides about a request before its body is read.
@NullMarked
package dev.pvcpopulators.kit.security;

import org.jspecify.annotations.NullMarked;
