@NullMarked
package dev.pvcpopulators.populate.doctor;

import org.jspecify.annotations.NullMarked;
