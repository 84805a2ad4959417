/// Who may use a service; decided before any body is read.
@NullMarked
package dev.pvcpopulators.volume.security;

import org.jspecify.annotations.NullMarked;
