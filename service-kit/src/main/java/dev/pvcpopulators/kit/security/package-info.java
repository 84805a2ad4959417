/// Access control: decided before any body is read.
@NullMarked
package dev.pvcpopulators.kit.security;

import org.jspecify.annotations.NullMarked;
