/// Tests on the real servers of Kubernetes. Fakes: the node and the provisioners.
@NullMarked
package dev.pvcpopulators.it.operator;

import org.jspecify.annotations.NullMarked;
