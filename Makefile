# The main commands; each finds a JDK 25 by itself (.mvn/find-jdk.sh).
.PHONY: help demo test nightly fuzz torture bench build images docs supply reproducible pictures format \
	 install uninstall install-test-tools test-cluster clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-25s %s\n", $$1, $$2}' Makefile
	@service-parent/list.sh | awk '{printf "  make %-25s build, and run it in a folder below this one\n", "run-" $$1}'

demo: build ## build; upload a qcow2, copy one from an image, export it as a LUN; convert an image into a disk
	@it/demo.sh

test: install-test-tools ## as root: install the test tools (apt-get, if missing), and test every promise once
	@.ci/test tools

nightly: install-test-tools ## as root: every test, with all matrices, kill rounds, load, and boots
	@.ci/test nightly

test-cluster: install-test-tools ## only the tests on the Kubernetes servers: ROUNDS=500 CLAIMS=500 STREAMS=100 MEBIBYTES=10240 SEED=…
	@.ci/kubernetes-binaries
	@./mvnw -B -ntp -Daot.skip=false -pl it/operator -am -Dtest='**/it/operator/*Test' \
		-Dsurefire.failIfNoSpecifiedTests=false $(if $(ROUNDS),-Drounds=$(ROUNDS)) \
		$(if $(CLAIMS),-Dclaims=$(CLAIMS)) $(if $(STREAMS),-Dstreams=$(STREAMS)) \
		$(if $(MEBIBYTES),-Dmebibytes=$(MEBIBYTES)) $(if $(SEED),-Dit.seed=$(SEED)) verify

torture: install-test-tools ## inject faults at random moments, as root: TIME=20m, SEED=…, ARGS=… (it/torture/README.md)
	@./mvnw -B -ntp -q -DskipTests -Daot.skip=false -pl it/torture -am package
	@it/torture/run.sh --time $(or $(TIME),20m) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench: build ## measure against nginx, cp, skopeo and qemu-img in one run; prints ratios
	@bench/run.sh

fuzz: ## fuzz the parsers of untrusted bytes; TIME=60 seconds per target, TARGET=Qcow2 for one
	@./mvnw -B -ntp -q -Pfuzz -pl it/fuzz -am -DskipTests package
	@it/fuzz/run.sh $(or $(TIME),60) $(TARGET)

build: ## build the packaged services, without tests; does nothing without a change
	@.mvn/build.sh

images: ## container images as kubernetes/images/target/SERVICE.tar; REGISTRY=HOST/PREFIX pushes them
	@echo "Building the images takes some minutes; the first time this downloads 40 MB of Debian packages, and Maven's"
	@IMAGE_REGISTRY=$(REGISTRY) IMAGE_INSECURE=$(INSECURE) \
		./mvnw -B -ntp -q -DskipTests -Pimages -pl kubernetes/images -am package

install: ## images, operator, kinds and classes into the current cluster: REGISTRY=HOST/PREFIX [INSECURE=true] unless kind, k3d, minikube
	@REGISTRY=$(REGISTRY) INSECURE=$(INSECURE) IMAGES=$(IMAGES) LEND=$(LEND) WAIT=$(WAIT) \
		kubernetes/install.sh install

uninstall: ## remove them, unless claims are being filled (FORCE=true)
	@FORCE=$(FORCE) kubernetes/install.sh uninstall

run-%: build
	@service-parent/try.sh $*

docs: ## generate the tables of docs/operations from the code
	@./mvnw -B -ntp -q -pl it -am verify -Dtest=OperationsPagesTest -Ddocs.write=true \
		-Dsurefire.failIfNoSpecifiedTests=false

supply: ## make bills of materials (SERVICE/target/bom.json), and the tables of docs/supply-chain.md
	@./mvnw -B -ntp -q -Pimages,supply -pl it -am verify -Dtest=SupplyChainTest -Ddocs.write=true \
		-Dsurefire.failIfNoSpecifiedTests=false

reproducible: ## build twice in different environments, and compare every byte
	@it/reproducible.sh

pictures: ## take the screenshots of docs/pages.md, in Chromium
	@./mvnw -B -ntp -q -pl it/browser -am verify -Dtest=StatusPageTest,UploadPageTest,UploadRefusalsTest \
		-Dpictures=docs/pictures -Dsurefire.failIfNoSpecifiedTests=false

install-test-tools: ## install the Debian packages that the tests use, if missing
	@.ci/install-test-tools

format: ## format the sources
	@./mvnw -B -ntp -q spotless:apply

clean: ## remove all build output
	@./mvnw -B -ntp -q clean
