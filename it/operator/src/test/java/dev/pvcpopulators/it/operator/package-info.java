/// Tests of the operator with the real servers of Kubernetes, a fake node and fake provisioners.
@NullMarked
package dev.pvcpopulators.it.operator;

import org.jspecify.annotations.NullMarked;
