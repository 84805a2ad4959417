/// Tests on the real servers of Kubernetes, with a fake node and fake provisioners.
@NullMarked
package dev.pvcpopulators.it.operator;

import org.jspecify.annotations.NullMarked;
