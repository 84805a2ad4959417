/// The command line, and the mode in which a process makes one volume and exits.
@NullMarked
package dev.pvcpopulators.kit.job;

import org.jspecify.annotations.NullMarked;
