@NullMarked
package dev.pvcpopulators.populate.upload;

import org.jspecify.annotations.NullMarked;
